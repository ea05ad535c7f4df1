-- A purchase that an erased person had keeps the HMAC of its number as its identity, for good. Beside it stand the number by which
-- whoever has it since has shown it again, and what decides in the number's place where purchases are alike but for that.
ALTER TABLE purchases
    ADD COLUMN IF NOT EXISTS known_as VARCHAR(255) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL,
    ADD COLUMN IF NOT EXISTS place VARCHAR(255) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL;
