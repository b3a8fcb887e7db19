/**
 * The object store on a cube: buckets, the rules of versions, uploads and listings.
 *
 * <p>Order of the locks, outermost first: list of buckets; bucket (writers share it, its deletion
 * and a change of its versioning exclude them); upload (parts share it, completion and abortion
 * exclude them); stripes of keys in ascending order. All are held until the commit is visible.
 * Reads and listings take none.
 */
package io.volute.versioning.catalog;
