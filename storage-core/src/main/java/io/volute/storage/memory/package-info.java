/**
 * Memory images: a cache of small blobs outside the heap, log-structured as the paper's level one
 * ("Log-structured Memory for DRAM-based Storage", sections 5.1, 5.2 and 8.6). Knows blob ids and
 * bytes, nothing of segments, index or files; without it everything works, only slower.
 *
 * <pre>
 *   image   = 1..16 seglets of 64 KiB, anywhere in the slabs
 *   entry   = blob id (8) | length (4) | CRC32C of id and content (4) | last read (4) | image (4)
 *             | content, padded to 8 bytes
 * </pre>
 *
 * <p>A header never straddles two seglets, a content may. Byte order is little-endian.
 *
 * <p><b>Locks</b>, outermost first: upkeep, append, then one of the innermost that are never held
 * together: a stripe of the entry index, the image table, the seglet pool. A read takes none of
 * them unless it collides with a change of its stripe; the last reader to leave a closed image
 * takes the pool's.
 *
 * <p><b>Why a reader never sees bytes of a reused seglet.</b> It enters the image first; a closed
 * image refuses it; a closed image's seglets go back to the pool only when the last reader has
 * left. If that rule were broken all the same, the checksum over the copy, begun with the blob id,
 * would not fit.
 */
package io.volute.storage.memory;
