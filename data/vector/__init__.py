"""Computing on vector features: frames in, frames out; knows nothing of states and tools."""
