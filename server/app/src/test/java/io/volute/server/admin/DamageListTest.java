package io.volute.server.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.server.damage.DamageList;
import io.volute.versioning.Damages.Source;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.Caller;
import io.volute.versioning.value.ObjectKey;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A scrub takes days: checks and repairs begin and end meanwhile. */
class DamageListTest {
    private static final BucketName BUCKET = new BucketName("bucket");

    @TempDir private Path directory;
    private AdminTestBed bed;
    private DamageList list;

    @BeforeEach
    void open() throws Exception {
        bed = new AdminTestBed(directory);
        bed.store().createBucket(Caller.ofTask("owner", "test"), BUCKET);
        ProvenanceRoutesTest.put(bed, "k", "text");
        ProvenanceRoutesTest.put(bed, "l", "text");
        list = bed.scrubber.damages();
    }

    @AfterEach
    void close() throws IOException {
        bed.close();
    }

    private void repair(String key) throws IOException {
        var repaired =
                list.repair(
                        BUCKET,
                        new ObjectKey(key),
                        Optional.empty(),
                        cube -> new Source.OfStates());
        assertThat(repaired.states()).allMatch(each -> each.left() == 0);
    }

    @Test
    void theEndOfACheckForgetsNothingThatWasFoundMeanwhile() {
        long scrub = list.beginCheck();
        bed.damage(BUCKET, "k");
        assertThat(bed.checked(scrub, BUCKET)).isZero();
        assertThat(list.count()).isEqualTo(1);
        assertThat(bed.checked(list.beginCheck(), BUCKET)).isZero();
        assertThat(list.count()).isZero();
    }

    @Test
    void theEndOfACheckAddsNothingThatWasRepairedMeanwhile() throws IOException {
        bed.damage(BUCKET, "k");
        long scrub = list.beginCheck();
        repair("k");
        assertThat(list.count()).isZero();
        assertThat(bed.checked(scrub, BUCKET, "k", "l")).isEqualTo(2);
        assertThat(list.list().damaged()).hasSize(1).allMatch(each -> each.key().get().equals("l"));
        bed.damage(BUCKET, "k");
        assertThat(list.list().damaged()).hasSize(1).allMatch(each -> each.key().get().equals("k"));
    }
}
