"""How the policy is learned from examples; nothing of it runs in the app."""
