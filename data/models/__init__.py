"""Models as data: a card for each, the weights of those made here, and what loads and runs them.

`registry(folder)` lists them, `choose(models, task, image_facts(path))` picks the best for an image, and
`data.models.serving.served(model)` runs it, one copy a process however many ask.
"""
