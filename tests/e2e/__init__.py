"""The whole app in a browser. A package, so that the app that the files share ends with the last of them."""
