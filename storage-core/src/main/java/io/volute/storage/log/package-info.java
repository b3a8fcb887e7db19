/**
 * The segmented log: append, replay, stream segments, digests, recycling. Knows entries and places.
 */
package io.volute.storage.log;
