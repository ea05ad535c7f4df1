-- A name or number that stands in a delivery: the label of a user, of a store's customer, of an account token or of an
-- Apple account, or a store's number of a purchase. By them a person's deliveries are found. A parked delivery is tried
-- again when one that it awaits becomes known.
CREATE TABLE IF NOT EXISTS delivery_mentions (
    mention VARCHAR(255) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
    delivery_id BIGINT UNSIGNED NOT NULL,
    is_awaited BOOLEAN NOT NULL,
    PRIMARY KEY (mention, delivery_id),
    KEY by_delivery (delivery_id)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;
