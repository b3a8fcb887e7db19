/**
 * Moves a log from one store of segments to another while it is in use. Ids and offsets stay, so
 * the index and all places in it stay valid.
 */
package io.volute.storage.log.migration;
