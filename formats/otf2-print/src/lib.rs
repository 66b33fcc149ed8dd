//! What otf2-print prints of an archive, read back.
