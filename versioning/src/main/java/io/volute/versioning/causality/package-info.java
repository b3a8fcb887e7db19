/**
 * Which overwritten states are worth keeping, decided from what depends on what: the algorithms of
 * "Causality-Based Versioning" (FAST 2009, section 4) and the actors that stand for its processes,
 * in memory and without I/O.
 */
package io.volute.versioning.causality;
