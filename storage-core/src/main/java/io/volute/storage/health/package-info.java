/**
 * Health of a cube: whether it takes writes, the threads it runs, and the error for a broken
 * invariant. Everything in the engine may use this package; it uses no other engine package.
 */
package io.volute.storage.health;
