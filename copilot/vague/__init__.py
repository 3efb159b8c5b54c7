"""Vague wishes on images: which task is meant, what is answered at once, and what goes to one expert.

After RemoteAgent (Yao et al.): ten tasks, of which five are answered from one look at the image and five are
sent to an expert; docs/vague.md.
"""
