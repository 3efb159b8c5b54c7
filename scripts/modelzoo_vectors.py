"""Write `data/modelzoo/vectors.npz`: what the selection agent compares, encoded once.

Run it after records or `data/modelzoo/words` change; it takes about a minute. Without it the same vectors
are made when they are first needed.
"""

from __future__ import annotations

from copilot.engine import encode_texts
from data.modelzoo.lexicon import lexicon
from data.modelzoo.profile import profile_of
from data.modelzoo.reading import zoo
from data.modelzoo.retrieval import texts_of
from data.modelzoo.vectors import phrases_of, write_vectors


def main() -> None:
    """Encode every text and write the file."""
    models = [profile_of(each) for each in zoo().records]
    texts = [phrase for each in lexicon().applications for phrase in phrases_of(each)] + texts_of(models)
    write_vectors(texts, encode_texts)
    print(f"{len(texts):,} texts")


if __name__ == "__main__":
    main()
