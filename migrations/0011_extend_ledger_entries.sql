-- The fields of a fact as a JSON array of texts, and what it says of people, which erasing a person sets to NULL together with
-- its salt: the entry's hash covers the note's salted hash alone.
ALTER TABLE ledger_entries
    ADD COLUMN IF NOT EXISTS content MEDIUMTEXT NULL,
    ADD COLUMN IF NOT EXISTS note MEDIUMTEXT NULL,
    ADD COLUMN IF NOT EXISTS note_salt BINARY(16) NULL,
    ADD COLUMN IF NOT EXISTS note_hash BINARY(32) NULL;
