/**
 * The object store on a cube: buckets, the rules of versions, uploads and listings.
 *
 * <p>Lock order, outermost first:
 *
 * <ol>
 *   <li>the list of buckets;
 *   <li>the bucket: writers share it, its deletion and a change of its versioning exclude them;
 *   <li>the upload: parts share it, completion and abortion exclude them;
 *   <li>the stripes of keys, in ascending order.
 * </ol>
 *
 * <p>All are held until the commit is visible. Reads and listings take none.
 */
package io.volute.versioning.catalog;
