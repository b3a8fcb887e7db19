package io.volute.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.server.http.Admission.Entry;
import io.volute.server.http.Admission.Share;
import io.volute.server.http.HttpSettings.Caps;
import org.junit.jupiter.api.Test;

/** Tests that one network leaves room for others, and is forgotten with its last connection. */
class AdmissionTest {
    private final Admission admission = new Admission(new Caps(5, 2, 5, 2, 0));

    @Test
    void oneNetworkLeavesConnectionsForOthers() {
        Share first = admission.enter("a");
        assertThat(admission.admit(first, false)).isEqualTo(Entry.ADMITTED);
        assertThat(admission.admit(admission.enter("a"), false)).isEqualTo(Entry.ADMITTED);
        Share third = admission.enter("a");
        assertThat(admission.admit(third, false)).isEqualTo(Entry.REFUSED);
        admission.leave(third, Entry.REFUSED);
        assertThat(admission.admit(admission.enter("b"), false)).isEqualTo(Entry.ADMITTED);
        admission.leave(first, Entry.ADMITTED);
        assertThat(admission.admit(admission.enter("a"), false)).isEqualTo(Entry.ADMITTED);
        assertThat(admission.connections()).isEqualTo(3);
    }

    @Test
    void oneNetworkLeavesRequestsForOthers() {
        Share share = admission.enter("a");
        Share other = admission.enter("b");
        assertThat(admission.tryBeginRequest(share)).isTrue();
        assertThat(admission.tryBeginRequest(share)).isTrue();
        assertThat(admission.tryBeginRequest(share)).isFalse();
        assertThat(admission.tryBeginRequest(other)).isTrue();
        admission.endRequest(share);
        assertThat(admission.tryBeginRequest(share)).isTrue();
        assertThat(admission.requests()).isEqualTo(3);
    }

    /** A client cannot drop a running request from its count by a new connection. */
    @Test
    void aRequestCountsUntilItEnds() {
        Share share = admission.enter("a");
        Entry entry = admission.admit(share, false);
        assertThat(admission.tryBeginRequest(share)).isTrue();
        assertThat(admission.tryBeginRequest(share)).isTrue();
        admission.leave(share, entry);
        Share again = admission.enter("a");
        assertThat(admission.tryBeginRequest(again)).isFalse();
        admission.endRequest(share);
        assertThat(admission.tryBeginRequest(again)).isTrue();
        admission.leave(again, Entry.CUT);
        assertThat(admission.networks()).isEqualTo(1);
        admission.endRequest(share);
        admission.endRequest(again);
        assertThat(admission.networks()).isZero();
    }
}
