# The server as an image (docs/deploy/compose.md). Settings come as variables, or as /etc/gatepass/gatepass.yaml, and
# secrets as files: none is in a layer.
#
#     docker build --tag gatepass:0.1.0 .                        the server
#     docker build --tag gatepass-try:0.1.0 --target try .       `gatepass dev` with a MariaDB of its own, to look at
#
# scripts/image builds all but the first stage from the files of `make dist`, and runs it.

FROM swift:6.3-bookworm AS build
RUN apt-get update \
    && apt-get install -y --no-install-recommends libmariadb-dev make pkg-config python3 zlib1g-dev
WORKDIR /source
COPY . .
# Without `setup`, which installs what tests need.
RUN make -o setup dist \
    && name=gatepass-$(cat VERSION)-linux-$(uname -m) \
    && tar -xzf "dist/$name.tar.gz" \
    && PREFIX=/usr DESTDIR=/image "$name/install"

FROM debian:bookworm-slim AS server
# Who reads a volume of secrets owns it, because an empty volume gets its owner from here: 65532 is the server, and 999
# the user of the image `mariadb`.
RUN apt-get update \
    && apt-get install -y --no-install-recommends ca-certificates libmariadb3 libstdc++6 tzdata zlib1g \
    && rm -rf /var/lib/apt/lists/* \
    && groupadd --gid 65532 gatepass \
    && useradd --uid 65532 --gid 65532 --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin gatepass \
    && install -d -m 700 -o 65532 -g 65532 /secrets/server /secrets/migrate /data \
    && install -d -m 700 -o 999 -g 999 /secrets/database
COPY --from=build /image/ /
LABEL org.opencontainers.image.title="Gatepass" \
      org.opencontainers.image.description="Entitlement server for the App Store" \
      org.opencontainers.image.version="0.1.0"
ENV GATEPASS_ENVIRONMENT=production \
    GATEPASS_HTTP_HOST=0.0.0.0 \
    GATEPASS_DASHBOARD_HOST=0.0.0.0
USER 65532:65532
EXPOSE 8080 8081
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s CMD ["gatepass", "health"]
ENTRYPOINT ["gatepass"]
CMD ["serve"]

FROM server AS try
USER 0:0
RUN apt-get update \
    && apt-get install -y --no-install-recommends mariadb-server \
    && rm -rf /var/lib/apt/lists/*
USER 65532:65532
ENV GATEPASS_ENVIRONMENT=development
CMD ["dev", "--customers", "--data-dir", "/data"]

# The last stage is what is built if none is named.
FROM server
