package io.volute.admin.provenance;

import io.volute.admin.client.AdminClient;
import io.volute.admin.output.Progress;
import io.volute.adminapi.Routes;
import io.volute.provenance.record.Frame;
import java.net.http.HttpHeaders;

/**
 * Counts the chains of an export while it arrives, and shows how far it is. The server counts them
 * before, so the total is approximate. Damage is left to the reader of the file. Not thread-safe.
 */
final class ArrivingChains implements AdminClient.Watch {
    private final Progress progress;
    private long bytes;
    private long chains;

    /** Bytes to pass by before the next frame. */
    private long skipped = Frame.MAGIC.length();

    /** Bytes of the head of a frame that have arrived: its type, and its length in four bytes. */
    private int head;

    private long length;

    ArrivingChains(Progress progress) {
        this.progress = progress;
    }

    @Override
    public void part(HttpHeaders headers, byte[] part, int count) {
        int at = 0;
        while (at < count) {
            if (skipped > 0) {
                int step = (int) Math.min(skipped, count - at);
                skipped -= step;
                at += step;
            } else {
                head(part[at]);
                at++;
            }
        }
        bytes += count;
        long total = headers.firstValueAsLong(Routes.CHAINS).orElse(0);
        progress.at(chains, total, "chain", bytes, "");
    }

    private void head(byte next) {
        if (head == 0) {
            chains += next == Frame.Type.END.code() ? 1 : 0;
            length = 0;
        } else {
            length = length << Byte.SIZE | Byte.toUnsignedLong(next);
        }
        head++;
        if (head > Integer.BYTES) {
            head = 0;
            skipped = length;
        }
    }

    /** Returns the number of chains that have arrived. */
    long chains() {
        return chains;
    }
}
