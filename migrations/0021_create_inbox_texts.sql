-- The text of a delivery, apart so that it can be deleted. Where `header_id` is not NULL, it is a compact JWS:
-- `content` is its payload, decoded, in which U+0001 stands for the header, and `signature` its last segment.
CREATE TABLE IF NOT EXISTS inbox_texts (
    delivery_id BIGINT UNSIGNED NOT NULL,
    header_id BIGINT UNSIGNED NULL,
    content MEDIUMBLOB NOT NULL,
    signature VARCHAR(255) CHARACTER SET ascii COLLATE ascii_nopad_bin NULL,
    PRIMARY KEY (delivery_id)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;
