package io.volute.server.auth.sigv4;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the forms of a Date header. */
final class RequestTimeTest {

    /** The name of the day is wrong in some of these, as in requests of ceph/s3-tests. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "Tue, 27 Mar 2007 19:36:42 +0000|20070327T193642Z",
                "Tue, 07 Jul 2010 21:53:04 GMT|20100707T215304Z",
                "Tue, 07 Jul 9999 21:53:04 GMT|99990707T215304Z",
                "7 Jul 2010 21:53:04 GMT|20100707T215304Z",
                "Wed, 07 Jul 2010 21:53:04 UTC|20100707T215304Z",
                "20130524T000000Z|20130524T000000Z"
            })
    void aDateHeaderHasTwoForms(String text, String basic) {
        assertThat(RequestTime.dateHeader(text).orElseThrow().text()).isEqualTo(basic);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "Tue",
                "Tue, ",
                "Tue, Tue, 07 Jul 2010 21:53:04 GMT",
                "Tuesday, 07 Jul 2010 21:53:04 GMT",
                "Tue, 07 Jul 1950 21:53:04 GMT",
                "Tue, 32 Jul 2010 21:53:04 GMT",
                "Tue, 07 Jul 2010",
                "2013-05-24T00:00:00Z"
            })
    void othersAreRefused(String text) {
        assertThat(RequestTime.dateHeader(text)).isEmpty();
    }
}
