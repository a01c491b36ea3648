# A small image with the program: docker build -t hinge . && docker run --rm -v "$PWD:/data" hinge train tag train.txt
FROM debian:bookworm-slim AS build
RUN apt-get update -q && apt-get install -y -q --no-install-recommends make g++
WORKDIR /hinge
# The packages change rarely: keep them in a layer of their own.
COPY scripts/install-deps scripts/
RUN scripts/install-deps
COPY . .
RUN make -s install PREFIX=/usr DESTDIR=/staged && strip /staged/usr/bin/hinge
# The packages that have the libraries of the program.
RUN ldd /staged/usr/bin/hinge | awk '$3 ~ "^/" { print $3 }' | xargs realpath | sed 's#^/usr##' \
  | xargs -n 1 sh -c 'dpkg-query -S "/usr$0" 2>/dev/null || dpkg-query -S "$0"' | cut -d: -f1 | sort -u > /staged/packages

FROM debian:bookworm-slim
COPY --from=build /staged/packages /tmp/
RUN apt-get update -q && xargs apt-get install -y -q --no-install-recommends < /tmp/packages \
  && rm -rf /var/lib/apt/lists/* /tmp/packages
COPY --from=build /staged/usr/bin/hinge /usr/bin/
COPY --from=build /staged/usr/share/doc/hinge /usr/share/doc/hinge
WORKDIR /data
ENTRYPOINT ["hinge"]
