"""What the pages show, worked out of state and events as plain values: no markup, no Streamlit."""
