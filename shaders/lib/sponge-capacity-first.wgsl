// First lane of the rate, and of the digest.
const sponge_RATE = 4u;
// First lane of the capacity.
const sponge_CAPACITY = 0u;
