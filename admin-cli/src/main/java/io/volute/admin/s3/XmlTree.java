package io.volute.admin.s3;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import javax.xml.XMLConstants;
import javax.xml.parsers.DocumentBuilder;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.xml.sax.SAXException;
import org.xml.sax.helpers.DefaultHandler;

/** An element of a parsed answer. Names are without namespaces. */
public final class XmlTree {
    private final Element element;

    private XmlTree(Element element) {
        this.element = element;
    }

    /**
     * Parses a document. A document type is refused, so nothing is read from elsewhere.
     *
     * @throws IOException if it is no XML
     */
    public static XmlTree parse(byte[] document) throws IOException {
        try {
            DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
            factory.setNamespaceAware(true);
            factory.setFeature(XMLConstants.FEATURE_SECURE_PROCESSING, true);
            factory.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
            DocumentBuilder builder = factory.newDocumentBuilder();
            builder.setErrorHandler(new DefaultHandler());
            return new XmlTree(
                    builder.parse(new ByteArrayInputStream(document)).getDocumentElement());
        } catch (ParserConfigurationException e) {
            throw new IllegalStateException("this JVM lacks an XML parser", e);
        } catch (SAXException e) {
            throw new IOException("the answer is no XML: " + e.getMessage(), e);
        }
    }

    public String name() {
        return element.getLocalName();
    }

    /** Returns all child elements. */
    public List<XmlTree> children() {
        List<XmlTree> children = new ArrayList<>();
        for (Node at = element.getFirstChild(); at != null; at = at.getNextSibling()) {
            if (at instanceof Element child) {
                children.add(new XmlTree(child));
            }
        }
        return children;
    }

    /** Returns the child elements of a name. */
    public List<XmlTree> children(String name) {
        return children().stream().filter(each -> each.name().equals(name)).toList();
    }

    /** Returns the first child element of a name. */
    public Optional<XmlTree> child(String name) {
        return children(name).stream().findFirst();
    }

    /** Returns the text of this element. */
    public String text() {
        return element.getTextContent();
    }

    /** Returns the text of the first child element of a name; empty text without one. */
    public String text(String name) {
        return child(name).map(XmlTree::text).orElse("");
    }
}
