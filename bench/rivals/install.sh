#!/bin/sh
# Installs the rivals that bench/ measures: install.sh [FOLDER]
#
# FOLDER (default: build/rivals in the repository) becomes a Python venv
# with python-crfsuite and, if they install, vowpalwabbit and eflomal; Wapiti is compiled
# into its bin/. Running it again installs only what is missing.
#
# Wapiti is built from the C sources inside the package libwapiti. Debian's
# package `wapiti` is a different program, a web vulnerability scanner.
set -eu

repository=$(cd "$(dirname "$0")/../.." && pwd)
folder=${1:-$repository/build/rivals}
wapiti_package='libwapiti==0.2.1 --hash=sha256:1ee047ada85f7abf076b70aa7d5793b28bb1327274f403d2c6923e27bb01097e'

install_debian_packages() {
  as_root=
  [ "$(id -u)" -eq 0 ] || as_root=sudo
  $as_root apt-get update -q
  $as_root apt-get install -y -q --no-install-recommends "$@"
}

ensure_debian_packages() {
  missing=
  python3 -c 'import ensurepip, venv' 2>/dev/null || missing="$missing python3 python3-venv"
  command -v cc >/dev/null || missing="$missing gcc libc6-dev"
  command -v make >/dev/null || missing="$missing make"
  # shellcheck disable=SC2086  # a list of names, meant to split
  [ -z "$missing" ] || install_debian_packages $missing
}

has_module() {
  "$folder/bin/python3" -c "import $1" 2>/dev/null
}

has_wapiti() {
  "$folder/bin/wapiti" --version 2>&1 | grep -q '^Wapiti v'
}

build_wapiti() (
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  cd "$work"
  echo "$wapiti_package" > requirements.txt
  "$folder/bin/pip" download -q --no-deps --no-binary :all: --require-hashes -r requirements.txt &&
    tar xzf libwapiti-*.tar.gz &&
    make -s -C libwapiti-*/cwapiti &&
    cp libwapiti-*/cwapiti/wapiti "$folder/bin/wapiti"
)

ensure_debian_packages
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
[ -x "$folder/bin/pip" ] || python3 -m venv "$folder"
has_module pycrfsuite || "$folder/bin/pip" install -q python-crfsuite
has_module vowpalwabbit || "$folder/bin/pip" install -q vowpalwabbit ||
  echo "vowpalwabbit did not install; vw.py will not run, the others will" >&2
has_module eflomal || "$folder/bin/pip" install -q eflomal ||
  echo "eflomal did not install; mt-align will not run, the others will" >&2
has_wapiti || build_wapiti ||
  echo "Wapiti did not build; wapiti.py will not run, the others will" >&2
echo "rivals are in $folder; run the runners with $folder/bin/python3"
