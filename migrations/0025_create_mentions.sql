-- The lock of a name or number that deliveries mention, also of one that nothing is known of. A transaction that relies
-- on what is known of it writes the row and removes it, so that none is left.
CREATE TABLE IF NOT EXISTS mentions (
    mention VARCHAR(255) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
    touched BIGINT UNSIGNED NOT NULL DEFAULT 0,
    PRIMARY KEY (mention)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;
