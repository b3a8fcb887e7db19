/**
 * The storage core: records and blobs in a segmented log on disk, with an index that is a cache of
 * the log. It has no notion of S3 or of versions.
 *
 * <p>This package is the API; {@link io.volute.storage.Cubes} opens a cube. Other modules use it
 * with {@code report} (figures), {@code directory} (data directory) and {@code io} (file layer).
 * The inner packages, from top to bottom; each uses only those below it:
 *
 * <ul>
 *   <li>{@code cube}: the wiring of a cube;
 *   <li>{@code recovery}, {@code check}, {@code cleaning}: start, consistency check, reclaiming
 *       space;
 *   <li>{@code commit}: the write path;
 *   <li>{@code blob}: reading and writing blobs;
 *   <li>{@code accounting}, {@code rows}: live bytes by segment, and the typed index;
 *   <li>{@code health}: whether the cube takes writes;
 *   <li>{@code log} with {@code file}, {@code segment}, {@code space}: the segment log;
 *   <li>{@code index}, {@code memory}, {@code format}: RocksDB, memory images, bytes.
 * </ul>
 */
package io.volute.storage;
