/**
 * Space accounting: live, dead and still needed bytes of each segment, uploads in progress, and the
 * decision which segments may leave the log.
 *
 * <p><b>When a segment may be freed.</b> All of these, in this order:
 *
 * <ol>
 *   <li>it is sealed, nothing in it is live, no unfinished or uncommitted upload has bytes in it,
 *       and none of its victims lies in a segment that stays in the log;
 *   <li>a flush of the index that <em>began after</em> the first rule held has ended, and a head
 *       segment lies wholly before the position of that flush;
 *   <li>then the log writes the digest that omits it.
 * </ol>
 *
 * <p>A crash after the digest therefore finds an index that neither refers to the segment nor needs
 * to replay it; a crash before finds the segment still in the log. Freeing on the first rule alone
 * would leave an older flushed index whose replay begins in, or whose rows point into, a segment
 * that is gone.
 */
package io.volute.storage.accounting;
