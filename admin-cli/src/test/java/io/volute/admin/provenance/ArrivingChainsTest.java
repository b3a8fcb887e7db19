package io.volute.admin.provenance;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.admin.output.Progress;
import io.volute.provenance.format.Bytes;
import io.volute.provenance.record.Frame;
import java.io.ByteArrayOutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.http.HttpHeaders;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ArrivingChainsTest {
    private static final HttpHeaders OF_EIGHT =
            HttpHeaders.of(Map.of("x-volute-chains", List.of("8")), (name, value) -> true);

    private final StringWriter shown = new StringWriter();
    private long nanos;

    /** Payloads look like frames, and parts end anywhere. */
    @Test
    void chainsAreCountedHoweverTheyArrive() {
        long seed = Long.getLong("volute.seed", System.identityHashCode(this));
        Random random = new Random(seed);
        for (int run = 0; run < 200; run++) {
            ByteArrayOutputStream export = new ByteArrayOutputStream();
            export.writeBytes(Frame.MAGIC.toArray());
            int chains = random.nextInt(5);
            for (int i = 0; i < chains; i++) {
                for (int frame = random.nextInt(4); frame >= 0; frame--) {
                    byte[] payload = new byte[random.nextInt(300)];
                    Arrays.fill(payload, (byte) Frame.Type.END.code());
                    export.writeBytes(frame(Frame.Type.ENTRY, payload));
                }
                export.writeBytes(frame(Frame.Type.END, new byte[Long.BYTES]));
            }
            ArrivingChains arriving = new ArrivingChains(progress());
            byte[] all = export.toByteArray();
            for (int at = 0; at < all.length; ) {
                int length = Math.min(all.length - at, random.nextInt(20) + 1);
                byte[] part = Arrays.copyOf(Arrays.copyOfRange(all, at, at + length), 64);
                arriving.part(OF_EIGHT, part, length);
                at += length;
            }
            assertThat(arriving.chains()).as("seed %d, run %d", seed, run).isEqualTo(chains);
        }
    }

    @Test
    void percentRateAndTimeLeftAreShown() {
        ArrivingChains arriving = new ArrivingChains(progress());
        arriving.part(OF_EIGHT, Frame.MAGIC.toArray(), Frame.MAGIC.length());
        for (int i = 0; i < 2; i++) {
            nanos += 40_000_000_000L;
            byte[] end = frame(Frame.Type.END, new byte[Long.BYTES]);
            arriving.part(OF_EIGHT, end, end.length);
        }
        assertThat(shown.toString()).contains("exporting: 2 of 8 chains (25%)", "left");
    }

    private Progress progress() {
        return new Progress(new PrintWriter(shown), Progress.Kind.LINES, () -> nanos, "exporting");
    }

    private static byte[] frame(Frame.Type type, byte[] payload) {
        return new Frame(type.code(), Bytes.of(payload)).encode().toArray();
    }
}
