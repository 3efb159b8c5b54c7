"""Documents, pictures, text stores and models: what is read, cut, stored and asked."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import date

from copilot.planner.declared.files import File, file_meant, paths_in
from copilot.planner.declared.idioms import pictures
from copilot.planner.declared.idioms import stores as text_stores
from copilot.planner.declared.idioms.base import ORDINALS, Arguments, Idiom, quotes
from copilot.planner.reading.text import COUNT, whole_number

READERS = {
    "pdf": "read_pdf",
    "docx": "read_docx",
    "html": "read_html",
    "txt": "read_text",
    "csv": "read_csv",
    "json": "read_json",
    "xml": "read_xml",
}
"""Which tool reads each format."""
_UNPACK = re.compile(
    r"\b(?:unpack|extract|un-?zip|decompress|out of|take|get|need|want|bring in|load|everything)\b", re.I
)
_NOT_UNPACKED = re.compile(
    r"\bwithout unpacking\b|\b(?:list|which|how many|what(?:'s| is)?|contents?|look)\b", re.I
)
_HASH = re.compile(r"\b(?:sha-?\d*|md5|checksums?|hash(?:es)?|fingerprint)\b", re.I)
_TOKENS = re.compile(r"\btokens?\b", re.I)
_EXIF = re.compile(
    r"\b(?:exif|gps|camera|exposure|iso|aperture|taken|shot|did i take)\b|\bcoordinates of the photo", re.I
)
_PICTURE = re.compile(r"\b(?:photos?|pictures?|images?|jpe?g|png|scene)\b", re.I)
_SIZE = re.compile(
    r"\bhow (?:many (?:mega)?pixels|large|big)\b|\bdimensions\b|\bwidth and height\b|\bmegapixels?\b|\bimage info\b",
    re.I,
)
_NOT_READ = re.compile(
    r"\b(?:stores?|index|embed|chunks?|chunk|pieces?|passages?|split|cut|break|divide|chop|parse|value|field|record|structured|model|llm|gpt|similar|"
    r"like|buffer|colou?r|layer|map|plot|histogram|figure|chart|mean|average|merge|join|sort|describe|remember|searchable|knowledge)\b",
    re.I,
)
_READ_ROWS = re.compile(
    r"\b(?:read|open|load|contents?|what(?:'s| is| are)|which|show|print|rows|columns|as a table|import|cat|see|look)\b",
    re.I,
)


def told(text: str, files: Sequence[File], stores: Sequence[str]) -> str | None:
    """The tool that the wording tells of a file, a picture or a store that it names."""
    meant = file_meant(text, files)
    if _TOKENS.search(text) and re.search(r"\b(?:count|how many|in tokens|cost)\b", text, re.I):
        return "token_count"
    if (
        found := text_stores.told(text, stores, files)
        or _of_quotes(text, files)
        or _of_pieces(text, meant, files)
    ) is not None:
        return found
    if _OF_MODEL.search(text):
        return _of_a_model(text)
    if (
        _EXPORTED.search(text)
        and not re.search(r"\b(?:xlsx|excel|geojson)\b", text, re.I)
        and any(each.ref.startswith("table") for each in files)
    ):
        return "export_csv"
    if _READ_IT.match(text) and files and files[-1].format in READERS:
        return READERS[files[-1].format]
    if _HASH.search(text) and (meant or files):
        return "file_hash"
    pictured = any(each.format in ("jpg", "png", "tif", "tiff") for each in files)
    if pictured and _PICTURE.search(text):
        if _EXIF.search(text):
            return "read_exif"
        if re.search(
            r"\b(?:crop|cut|trim|window|subset)\b.*\b\d+ ?(?:px|pixels?)? ?(?:x|×|by) ?\d+ ?(?:px|pixels?)?\b",
            text,
            re.I,
        ):
            return "image_crop"
        if re.search(r"\bpng\b", text, re.I) and not re.search(
            r"\b(?:map|chart|figure)\b|\.png\b", text, re.I
        ):
            return "image_to_png"
        if _SIZE.search(text):
            return "image_info"
    return _of_a_file(text, meant) if meant is not None else None


_OF_MODEL = re.compile(
    r"\b(?:chat|language|vision|configured) model\b|\bllm\b|\bgpt\b|\bjson mode\b|\bdescribe_image\b", re.I
)
_EXPORTED = re.compile(
    r"\b(?:export|save|download|write)\b.*\b(?:that|this) table\b.*|\b(?:that|this) table\b.*\bcsv\b", re.I
)
_READ_IT = re.compile(
    r"^(?:and |now |then |please )*(?:read|print|show|open|display) (?:me )?(?:it|that|this|its text|the text)(?: out)?(?: to me)?\W*$",
    re.I,
)


def _of_a_model(text: str) -> str:
    outside = re.sub(r"[\"“][^\"”]*[\"”]", '""', text)
    if re.search(r"\bjson\b|\bstructured output\b", outside, re.I):
        return "json_mode"
    shown = re.search(r"\b(?:describe_image|picture|image|scene|photo|raster|vision)\b", outside, re.I)
    return "describe_image" if shown and '""' not in outside else "chat_completion"


_NEAREST = re.compile(
    r"\b(?:most|more) like\b|\bnearest\b|\bclosest\b|\bsimilar\b|\bresemble\b|\bbest (?:match\w*|examples?)\b|\bthat fit\b|\bfew-?shot\b|\bexamples\b",
    re.I,
)
_FIELDS = re.compile(
    r"\b(?:extract|parse|pull|fields?|record|structured)\b|\bread\b.*\bout of\b|\b(?:does it|do they) give\b",
    re.I,
)


def _of_quotes(text: str, files: Sequence[File]) -> str | None:
    """What is to be done with texts that stand in quotes, or with the rows of a table of texts."""
    said = re.findall(r"[\"“][^\"”]+[\"”]", text)
    outside = re.sub(r"[\"“][^\"”]*[\"”]", '""', text)
    if len(said) > 2 and _NEAREST.search(outside):
        return "select_examples"
    rows = re.search(r"\b(?:which \d|\d of|rows?|passages|table|examples|of (?:them|these))\b", outside, re.I)
    if (
        len(said) == 1
        and rows
        and _NEAREST.search(outside)
        and any(each.ref.startswith(("table", "@")) for each in files)
    ):
        return "select_examples"
    if len(said) == 2 and text_stores.ALIKE.search(outside):
        return "embeddings"
    if len(said) == 1 and len(said[0]) > 20 and _FIELDS.search(outside):
        return "parse_structured"
    return None


_PIECES = re.compile(
    r"\b(?:passages|paragraphs|chunks?|chunked|pieces|bites|bits|portions|slices|snippets)\b|\brows of text\b|\b(?:split|chop) (?:up )?(?:the|it)\b|\btext as rows\b",
    re.I,
)
_IN_TABLE = re.compile(r"\b(?:table|rows|load|bring)\b", re.I)
_ONE_FIELD = re.compile(
    r"\bfill in\b|\bparse\b|\b(?:structured|as a) value\b|\bthe field\b|\bextract it\b|\bas a number\b|\bpull\b.*\bout\b|"
    r"\bextract (?:the )?(?!text|tables?|pages?|images?|pictures?|everything|contents?|all)\w+(?: \w+)? (?:from|out of)\b|\bgive for\b|\b(?:pull|extract) (?!(?:the )?(?:text|tables?)\b).+ (?:from|out of)\b.*\btext\b",
    re.I,
)
_PROSE = frozenset({"pdf", "docx", "txt", "html"})


def _of_pieces(text: str, meant: File | None, files: Sequence[File]) -> str | None:
    """Whether a document is to be cut into pieces, or a value is to be read out of it."""
    if meant is None or meant.format not in _PROSE:
        return None
    if re.search(r"\b(?:store|knowledge base|searchable)\b", text, re.I) and not re.search(
        r"^\W*(?:split|cut|chop|break)\b", text, re.I
    ):
        return "vectorstore_create" if text_stores.CREATING.search(text) else None
    if _PIECES.search(text):
        return "load_document" if _IN_TABLE.search(text) else "split_text"
    return "parse_structured" if _ONE_FIELD.search(text) else None


def _of_a_file(text: str, meant: File) -> str | None:
    if meant.format == "zip":
        if re.search(r"\bwithout unpacking\b", text, re.I):
            return "list_archive"
        inside = [
            each for each in paths_in(text) if not each.lower().endswith((".zip", ".tgz", ".gz", ".tar"))
        ]
        listed = _NOT_UNPACKED.search(text) and not re.search(r"\b(?:unpack|extract|un-?zip)\b", text, re.I)
        return "extract_archive" if inside or (_UNPACK.search(text) and not listed) else "list_archive"
    reader = READERS.get(meant.format)
    if reader is None:
        return None
    if meant.format == "docx" and re.search(r"\btables?\b", text, re.I):
        return reader
    named = meant.format == "csv" and not re.search(r"\bcsv\b|comma[- ]separated", text, re.I)
    if named or (meant.format == "csv" and not _READ_ROWS.search(text)):
        return None
    return None if _NOT_READ.search(_without_names(text, meant)) else reader


def _without_names(text: str, meant: File) -> str:
    plain = text
    for path in paths_in(text):
        plain = plain.replace(path, " ")
    return re.sub(r"\b(?:comma separated|its? table|text)\b", " ", plain, flags=re.I)


def _pages(text: str, today: date) -> Arguments:
    if several := re.search(r"\bpages (\d+)\s*(?:to|-|–|and|until|through)\s*(\d+)", text, re.I):
        return {"first_page": int(several[1]), "last_page": int(several[2])}
    one = re.search(
        r"\bpage (?:no\.? |number )?(\d+)\b|\b(first|second|third|fourth|fifth) page\b", text, re.I
    )
    if one is None:
        return {}
    page = int(one[1]) if one[1] else ORDINALS[one[2].lower()]
    return {"first_page": page, "last_page": page}


def _word_table(text: str, today: date) -> Arguments:
    match = re.search(
        r"\btable (?:no\.? |number )?(\d+)\b|\b(first|second|third|fourth|fifth) table\b|\b(tables?)\b",
        text,
        re.I,
    )
    if match is None:
        return {}
    return {"table": int(match[1]) if match[1] else ORDINALS[match[2].lower()] if match[2] else 1}


def _all_of_page(text: str, today: date) -> Arguments:
    whole = re.search(
        r"\b(?:all of|in full|whole|complete|entire|every word|everything|navigation|footer|menus?)\b",
        text,
        re.I,
    )
    return {"main": False} if whole else {}


def _lines(text: str, today: date) -> Arguments:
    if several := re.search(r"\blines (\d+)\s*(?:to|-|–|until)\s*(\d+)", text, re.I):
        return {"first_line": int(several[1]), "lines": int(several[2]) - int(several[1]) + 1}
    match = re.search(r"\b(\d+) lines?\b|\bhead -n?\s*(\d+)", text, re.I)
    return {"lines": int(match[1] or match[2])} if match else {}


_OF_RECORD = (
    r"\b(?:path|under|element|field|key|tag)\s+[\"'`]?(?P<a>[A-Za-z_][\w.]*\w)",
    r"\b(?P<b>[a-z_]\w*\.[a-z_]\w*(?:\.\w+)*)\b",
    r"\b(?P<c>[a-z]+[A-Z]\w*)\b",
    r"\b(?:value (?:of|has)|look up|what is(?: the)?|what's(?: the)?|which(?: \w+ has)?|read|give me|need|find|->)\s+(?:the )?[\"'`]?(?P<d>[A-Za-z_]\w+)[\"'`]?\s*(?:\?|$|in\b|from\b|out of\b|of the\b|does\b)",
    r"\bwhat does (?:the )?(?P<e>[A-Za-z_]\w+) say\b",
)
_NO_KEY = frozenset(
    "in the json xml file document of from what value keys elements it its contents structure outline metadata is does inside that meta settings".split()
)


def _record(text: str, name: str) -> Arguments:
    plain = text
    for path in paths_in(text):
        plain = plain.replace(path, "it")
    for pattern in _OF_RECORD:
        for match in re.finditer(pattern, plain, 0 if "A-Z]\\w*)" in pattern and "c>" in pattern else re.I):
            found = next(each for each in match.groups() if each)
            if found.lower() not in _NO_KEY:
                return {name: found}
    return {}


def _json(text: str, today: date) -> Arguments:
    return _record(text, "path")


def _xml(text: str, today: date) -> Arguments:
    return _record(text, "element")


def _members(text: str, today: date) -> Arguments:
    inside = [each for each in paths_in(text) if not each.lower().endswith((".zip", ".tgz", ".gz", ".tar"))]
    return {"members": inside} if inside else {}


def _examples(text: str, today: date) -> Arguments:
    found: Arguments = {}
    spans = [(each.start(), each[1].strip()) for each in re.finditer(r"[\"“]([^\"”]+)[\"”]", text)]
    led = next(
        (
            n
            for n, (at, _) in enumerate(spans)
            if re.search(r"\b(?:like|for|to|fit|resemble|request|with)\s*$", text[:at], re.I)
        ),
        0,
    )
    if spans:
        found["query"] = spans[led][1]
        rest = [each for n, (_, each) in enumerate(spans) if n != led]
        if rest:
            found["texts"] = rest
    outside = re.sub(r"[\"“][^\"”]*[\"”]", '""', text)
    outside = re.sub(r"\b\d+[ -]?char\w*", " ", outside)
    number = rf"((?!one\b){COUNT})"
    if count := re.search(
        rf"\b(?:pick|select|choose|the|which|need|find me)\s+{number}\b|\b{number} (?:best|rows|passages|examples|most|similar)",
        outside,
        re.I,
    ):
        found["k"] = whole_number(count[1] or count[2])
    return found


def _last_turns(text: str, today: date) -> Arguments:
    match = re.search(rf"\blast ({COUNT})\b|\b({COUNT}) (?:most recent|last|latest)\b", text, re.I)
    return {"last": whole_number(match[1] or match[2])} if match else {}


def _values(text: str, today: date) -> Arguments:
    """Which values are read out of a text: "the date and the depth (m) from …"."""
    found: Arguments = {}
    spans = sorted(re.finditer(r"[\"“]([^\"”]+)[\"”]", text), key=lambda each: len(each[0]))
    outside = text
    if spans:
        found["text"] = spans[-1][1]
        outside = text[: spans[-1].start()] + ' "" ' + text[spans[-1].end() :]
    plain = outside.strip().rstrip("?.! ")
    match = None
    for pattern in (
        r"\bfields? (?P<f>.+?)(?: (?:out of|from|in|of)\b.*)?$",
        r"\b(?:extract|get|pull|read|need)\s+(?P<f>(?!it\b).+?)\s+(?:out of|from|of this)\b",
        r"\bwhich (?P<f>.+?) (?:does|do|is|are)\b",
        r"\b(?:record|object|row) with (?P<f>.+)$",
        r"\b(?:for|give for) (?P<f>[^?.]+?)(?:\s*[?.].*)?$",
    ):
        if match := re.search(pattern, plain, re.I):
            break
    if match:
        fields = re.split(r"\s*,\s*(?:and\s+)?|\s+and\s+(?:which\s+)?", match["f"])
        fields = [
            re.sub(r"^(?:the|which|fields?|a|an)\s+", "", each.strip(" \"'"), flags=re.I) for each in fields
        ]
        found["fields"] = [re.sub(r"^fields?\s+", "", each) for each in fields if each]
    return found


def _prompt(text: str, today: date) -> Arguments:
    quoted = quotes(text)
    if quoted:
        return {"prompt": quoted[0]}
    match = re.search(
        r":\s*(?P<a>.+)$|\b(?:model|llm|gpt|ai)\s+(?P<b>(?:what|how|why|to|about|who|which)\b.+)$", text, re.I
    )
    return {"prompt": (match["a"] or match["b"]).strip()} if match else {}


def _counted_tokens(text: str, today: date) -> Arguments:
    quoted = quotes(text)
    return {"text": quoted[0]} if quoted else {}


IDIOMS: Mapping[str, Idiom] = {
    "read_pdf": _pages,
    "read_docx": _word_table,
    "read_html": _all_of_page,
    "read_text": _lines,
    "read_json": _json,
    "read_xml": _xml,
    "extract_archive": _members,
    **pictures.IDIOMS,
    **text_stores.IDIOMS,
    "split_text": text_stores.pieces,
    "load_document": text_stores.pieces,
    "select_examples": _examples,
    "summarize_history": _last_turns,
    "parse_structured": _values,
    "embeddings": text_stores.more_texts,
    "chat_completion": _prompt,
    "json_mode": _prompt,
    "token_count": _counted_tokens,
}
