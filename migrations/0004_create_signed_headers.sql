-- The headers of signed texts: three certificates, the same for all texts of one signing key, kept once.
CREATE TABLE IF NOT EXISTS signed_headers (
    id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
    header_hash BINARY(32) NOT NULL,
    header MEDIUMTEXT CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
    PRIMARY KEY (id),
    UNIQUE KEY by_header_hash (header_hash)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;
