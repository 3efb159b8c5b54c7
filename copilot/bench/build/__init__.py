"""Making tasks: intents, slots filled from the catalogue's rows, wordings, candidates, the mix, the stamp."""
