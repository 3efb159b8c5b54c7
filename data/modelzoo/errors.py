"""What goes wrong with records of models."""


class ModelZooError(ValueError):
    """A record, or the name of one, that cannot be used; the text is one sentence for people."""
