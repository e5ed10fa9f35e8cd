// First lane of the rate, and of the digest.
const sponge_RATE = 0u;
// First lane of the capacity.
const sponge_CAPACITY = 8u;
