package io.volute.storage.index;

/**
 * One sorted table of an index.
 *
 * @param position in {@link IndexSettings#tables}
 * @param name what stands on disk
 * @param isWalked as of a {@link io.volute.storage.Family}
 */
public record IndexTable(int position, String name, boolean isWalked) {}
