#!/usr/bin/env bash
# check_package.sh BUILD: packs what was built there and runs `plumb demo` from the package in a clean Debian root that has
# nothing but what the package depends on. Prints the package's size and dependencies, and the demo's output.
set -euo pipefail
build=$(realpath "$1")
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source tools/debian_root.sh
start=$SECONDS

rm -rf "$build/package"
(cd "$build" && cpack > package.log) || { tail -n 20 "$build/package.log"; exit 1; }
package=$(echo "$build"/package/plumb_*.deb)
# shellcheck disable=SC2016  # the ${} are dpkg-deb's
dpkg-deb --show --showformat '${Package} ${Version}: ${Installed-Size} KiB\nDepends: ${Depends}\n' "$package"

suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
root=$(debian_cache)/roots/$suite-package
# A file as a package: apt installs it with its dependencies into the fresh root.
make_debian_root "$suite" "$root" main "$package"
echo "package: installed after $((SECONDS - start)) s"
in_debian_root "$root" "" bash -c 'plumb --version && cd /tmp && plumb demo'
rm -rf --one-file-system "$root"
echo "package: $((SECONDS - start)) s"
