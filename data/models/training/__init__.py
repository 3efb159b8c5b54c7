"""The scripts that made the weights in this repository: `copilot models train NAME` runs them again."""
