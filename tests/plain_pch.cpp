// Nothing: a library needs a file for its precompiled header to belong to.
