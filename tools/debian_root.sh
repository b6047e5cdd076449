# Debian roots for `./dev on` and `./dev package`, which source this file. Needs mmdebstrap and the rights of root.
# The mirror is the one of this machine's apt; packages and roots are kept in the user's cache directory between runs.

debian_cache() { echo "${XDG_CACHE_HOME:-$HOME/.cache}/plumb/debian"; }

debian_mirror() {  # where this machine's own release comes from; it has the other releases too
  local codename
  codename=$(. /etc/os-release && echo "$VERSION_CODENAME")
  # shellcheck disable=SC2016  # the $() are apt's
  apt-get indextargets --format '$(RELEASE) $(REPO_URI)' 'Identifier: Packages' |
    sed -n "s/^$codename //p" | head -n 1
}

make_debian_root() {  # suite root components package...; a package may be the path of a .deb
  local suite=$1 root=$2 components=$3 mirror kept hooks=/usr/share/mmdebstrap/hooks
  shift 3
  mirror=$(debian_mirror)
  [[ -n $mirror ]] || { echo "apt has no mirror for this Debian release; check /etc/apt/sources.list" >&2; return 1; }
  kept=$(debian_cache)/packages/$suite
  mkdir -p "$kept" "$(dirname "$root")"
  rm -rf --one-file-system "$root.new" "$root"
  # Hard links: a package is on the disk once.
  mmdebstrap --variant=minbase --components="$components" --include="$(IFS=, && echo "$*")" \
    --aptopt='APT::Install-Recommends "false"' --dpkgopt=force-unsafe-io \
    --dpkgopt=path-exclude='/usr/share/doc/*' --dpkgopt=path-exclude='/usr/share/locale/*' \
    --hook-dir="$hooks/file-mirror-automount" --skip=download/empty --skip=essential/unlink \
    --setup-hook="mkdir -p \"\$1/var/cache/apt/archives\"; cp -alt \"\$1/var/cache/apt/archives\" '$kept'/*.deb || true" \
    --customize-hook="cp -alnt '$kept' \"\$1/var/cache/apt/archives\"/*.deb" \
    "$suite" "$root.new" "$mirror"
  mv "$root.new" "$root"
}

# A root with these packages: the one of an earlier run if it was made of the same list.
debian_root() {  # suite name components package...: says where it is in $debian_root_dir
  local suite=$1 name=$2 components=$3 root list
  shift 3
  command -v mmdebstrap > /dev/null || { echo "mmdebstrap is missing; apt-get install mmdebstrap" >&2; return 1; }
  ((EUID == 0)) || { echo "making a Debian root and entering it needs the rights of root; use sudo" >&2; return 1; }
  root=$(debian_cache)/roots/$suite-$name
  list="$components: $*"
  debian_root_dir=$root
  [[ -f $root/plumb-packages && $(< "$root/plumb-packages") == "$list" ]] && return
  make_debian_root "$suite" "$root" "$components" "$@"
  echo "$list" > "$root/plumb-packages"
}

# Runs a command in a root. The mounts are this command's own and vanish with it.
in_debian_root() {  # root "from:to ..." command...: the mounts are pairs of a path outside and one inside
  local root=$1 mounts=$2
  shift 2
  # shellcheck disable=SC2016  # the variables are the inner shell's
  unshare --mount bash -c '
    set -e
    root=$1 mounts=$2; shift 2
    mount --rbind /dev "$root/dev"
    mount -t proc proc "$root/proc"
    mount -t tmpfs tmpfs "$root/tmp"
    for pair in $mounts; do
      mkdir -p "$root${pair#*:}"
      mount --bind "${pair%%:*}" "$root${pair#*:}"
    done
    exec chroot "$root" env -i HOME=/tmp TERM="${TERM:-dumb}" LANG=C.UTF-8 PATH=/usr/sbin:/usr/bin:/sbin:/bin \
      ${PLUMB_JOBS:+PLUMB_JOBS=$PLUMB_JOBS} "$@"' in-root "$root" "$mounts" "$@"
}
