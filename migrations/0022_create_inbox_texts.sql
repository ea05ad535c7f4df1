-- The signed text of a delivery, apart so that it can be deleted. Where `header_id` is not NULL, `jws` begins after the
-- header's last character.
CREATE TABLE IF NOT EXISTS inbox_texts (
    delivery_id BIGINT UNSIGNED NOT NULL,
    header_id BIGINT UNSIGNED NULL,
    jws MEDIUMTEXT CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
    PRIMARY KEY (delivery_id)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;
