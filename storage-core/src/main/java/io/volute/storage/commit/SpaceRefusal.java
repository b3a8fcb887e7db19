package io.volute.storage.commit;

import io.volute.storage.CubeUnavailableException;

/**
 * The refusal of a write for which the log has no space.
 *
 * @param error the error for the client
 * @param isLast whether cleaning wins nothing, so that deletes may use what is kept for the cleaner
 */
public record SpaceRefusal(CubeUnavailableException error, boolean isLast) {}
