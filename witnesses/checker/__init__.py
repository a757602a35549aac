"""The second checker: Python standard library only, no code shared with the tool that writes the evidence."""
