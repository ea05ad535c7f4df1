-- What a delivery mentions beside its purchase: the label of a store's customer, or the number of a purchase that it
-- waits for. A parked delivery is tried again when one of them becomes known.
CREATE TABLE IF NOT EXISTS delivery_mentions (
    mention VARCHAR(255) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
    delivery_id BIGINT UNSIGNED NOT NULL,
    PRIMARY KEY (mention, delivery_id),
    KEY by_delivery (delivery_id)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;
