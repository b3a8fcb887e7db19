/**
 * The decision which overwritten states to keep, by their causal dependencies: the algorithms of
 * "Causality-Based Versioning" (FAST 2009, section 4), and the actors that take the place of its
 * processes. In memory and without I/O.
 */
package io.volute.versioning.causality;
