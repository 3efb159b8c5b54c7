"""What people ask, in many voices, with the calls that answer it: what the policy learns from."""
