"""Strangers' files are read in processes of their own: what breaks a library breaks that process only.

    reader = Reader(owner, session)
    pdf = reader.read(
        partial(read_pdf, path, 1, None), about="'report.pdf'", error=DocumentError, reads=[path]
    )

For each file a process is forked from one that has the libraries loaded (`forker`), shuts itself in (`shut`:
no network, one folder to write in, limits on memory, time and files), reads that file and ends. Several run
at once, and owners are served in turn (`pool`). docs/security.md says what this stops.
"""
