package io.volute.provenance.audit;

/** The assurances of the secure-provenance paper, section 2.2. */
public enum Promise {
    I1("no entry is removed from the start or the middle"),
    I2("no entry is added or changed"),
    I3("no entry stands in the name of somebody who did not make it"),
    I4("those who hold keys replace nothing between their entries"),
    I5("a signer cannot deny an entry"),
    I6("a chain belongs to one key"),
    I7("content does not change without an entry"),
    C1("confidential data is readable for the chosen auditors only, and verifiable for all"),
    C2("withheld fields come back unchanged");

    private final String text;

    Promise(String text) {
        this.text = text;
    }

    public String text() {
        return text;
    }
}
