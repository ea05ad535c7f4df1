-- Every version of the catalogue that was ever in force, as the text of its file.
CREATE TABLE IF NOT EXISTS catalog_versions (
    version INT UNSIGNED NOT NULL,
    effective_at BIGINT NOT NULL,
    content MEDIUMTEXT NOT NULL,
    PRIMARY KEY (version)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;
