package io.volute.server.s3.request;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.server.s3.error.S3Exception;
import io.volute.server.s3.request.HeaderList.Header;
import java.util.List;
import org.junit.jupiter.api.Test;

class TargetTest {
    private static final List<String> NONE = List.of();
    private static final List<String> DOMAINS = List.of("s3.example");

    private static HttpHead head(String path) {
        HeaderList headers = new HeaderList(List.of(new Header("host", "photos.s3.example:9000")));
        return new HttpHead("GET", path, "", headers, false, "", 0, "ID");
    }

    @Test
    void aHeadIsReadOnceForItsDomains() {
        HttpHead head = head("/b%20c/k%2Fl");
        Target target = Target.of(head, NONE);
        assertThat(target).isEqualTo(new Target("b c", "k/l"));
        assertThat(Target.of(head, NONE)).isSameAs(target);
        Target ofHost = Target.of(head, DOMAINS);
        assertThat(ofHost).isEqualTo(new Target("photos", "b c/k/l"));
        assertThat(Target.of(head, List.of("s3.example"))).isSameAs(ofHost);
        assertThat(Target.of(head, NONE)).isSameAs(target);
    }

    /** Which share of the server a request has does not change what it means. */
    @Test
    void anotherAllowanceKeepsTheTarget() {
        HttpHead head = head("/b/k");
        Target target = Target.of(head, NONE);
        assertThat(Target.of(head.with(Allowance.UNLIMITED), NONE)).isSameAs(target);
    }

    /** The host can name the bucket. */
    @Test
    void otherHeadersAreReadAgain() {
        HttpHead head = head("/k");
        assertThat(Target.of(head, DOMAINS).bucket()).isEqualTo("photos");
        HeaderList others = new HeaderList(List.of(new Header("host", "papers.s3.example")));
        assertThat(Target.of(head.with(others), DOMAINS).bucket()).isEqualTo("papers");
        assertThat(Target.of(head, DOMAINS).bucket()).isEqualTo("photos");
    }

    @Test
    void aPathThatCannotBeDecodedIsRefusedEachTime() {
        HttpHead head = head("/%zz/k");
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> Target.of(head, NONE)).isInstanceOf(S3Exception.class);
        }
    }

    @Test
    void whatWasParsedIsNoPartOfAHead() {
        HttpHead parsed = head("/b/k");
        assertThat(Target.of(parsed, NONE).key()).isEqualTo("k");
        assertThat(parsed).isEqualTo(head("/b/k")).hasSameHashCodeAs(head("/b/k"));
    }
}
