package io.volute.storage.commit;

import io.volute.storage.CubeUnavailableException;

/**
 * A write found no room.
 *
 * @param told what its client is told
 * @param isLast cleaning wins nothing: who makes room may take what is kept for the cleaner
 */
public record NoRoom(CubeUnavailableException told, boolean isLast) {}
